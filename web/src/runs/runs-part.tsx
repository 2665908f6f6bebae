/** To be built. */
export default function Part() {
  return null;
}
