/**
 * Focuses an element that may still be hidden, because the list hides items until it has measured them.
 *
 * @param onTaken called after the element has taken the focus
 * @returns a function that cancels the attempt
 */
export function focusSoon(find: () => HTMLElement | null | undefined, onTaken?: () => void): () => void {
  let frame = 0;
  const take = (): void => {
    const element = find();
    element?.focus({ preventScroll: true });
    if (element != null && document.activeElement === element) onTaken?.();
    else frame = requestAnimationFrame(take);
  };
  take();
  return () => cancelAnimationFrame(frame);
}
