/**
 * Gives the focus to something that may not be seen yet: the list hides what it has not measured.
 *
 * @param onTaken hears of it
 * @returns what gives it up
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
