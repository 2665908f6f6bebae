import { CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A company, known since one of its users was first seen. */
@Entity({ name: 'companies' })
export class Company {
  /** As tokens name it. */
  @PrimaryColumn('text')
  id!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
