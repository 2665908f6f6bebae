import { CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Company. Created when one of its users is first seen. */
@Entity({ name: 'companies' })
export class Company {
  /** Company id in tokens. */
  @PrimaryColumn('text')
  id!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
