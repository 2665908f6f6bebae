import type { PartProps } from '../project/parts';

/** To be built. */
export default function Part(_: PartProps) {
  return null;
}
