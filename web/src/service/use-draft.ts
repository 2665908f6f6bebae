import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
import { useService } from './service';

/**
 * State that people write into. It is kept in the tab, over reloads and while other places are open, until it is forgotten: call
 * `forget` once it is saved or given up.
 *
 * @param place of what is written, unique on the page
 */
export function useDraft<Value>(
  place: string,
  initial: Value,
): [value: Value, set: Dispatch<SetStateAction<Value>>, forget: () => void] {
  const { me } = useService();
  const key = `draft of ${me.user_id ?? me.api_key_id}: ${place}`;
  const [value, setValue] = useState(() => {
    const kept = sessionStorage.getItem(key);
    return kept === null ? initial : (JSON.parse(kept) as Value);
  });
  const isWritten = useRef(false);
  useEffect(() => {
    if (!isWritten.current) return;
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // The browser has no room for it. What was kept before would be misleading.
      sessionStorage.removeItem(key);
    }
  }, [key, value]);
  const set = useCallback((next: SetStateAction<Value>) => {
    isWritten.current = true;
    setValue(next);
  }, []);
  const forget = useCallback(() => {
    isWritten.current = false;
    sessionStorage.removeItem(key);
  }, [key]);
  return [value, set, forget];
}
