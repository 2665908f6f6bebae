/**
 * Focuses an element that may still be hidden. The list hides items until it has measured them.
 *
 * @param onFocused called after the element has received the focus
 * @returns a function that cancels the attempt
 */
export function focusWhenVisible(find: () => HTMLElement | null | undefined, onFocused?: () => void): () => void {
  let frame = 0;
  const tryFocus = (): void => {
    const element = find();
    element?.focus({ preventScroll: true });
    if (element != null && document.activeElement === element) onFocused?.();
    else frame = requestAnimationFrame(tryFocus);
  };
  tryFocus();
  return () => cancelAnimationFrame(frame);
}
