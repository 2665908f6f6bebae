import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
import { saveInTab } from './save-in-tab';
import { useService } from './service';

/**
 * State that the user edits. It is kept in the tab across reloads and navigation. Call `forget` after the user has saved or
 * discarded it.
 *
 * @param name unique name of the state on the page
 */
export function useDraft<Value>(
  name: string,
  initial: Value,
): [value: Value, set: Dispatch<SetStateAction<Value>>, forget: () => void] {
  const { me } = useService();
  const key = `draft of ${me.user_id ?? me.api_key_id}: ${name}`;
  const [value, setValue] = useState(() => {
    const stored = sessionStorage.getItem(key);
    return stored === null ? initial : (JSON.parse(stored) as Value);
  });
  const isModified = useRef(false);
  useEffect(() => {
    if (isModified.current) saveInTab(key, value);
  }, [key, value]);
  const set = useCallback((next: SetStateAction<Value>) => {
    isModified.current = true;
    setValue(next);
  }, []);
  const forget = useCallback(() => {
    isModified.current = false;
    sessionStorage.removeItem(key);
  }, [key]);
  return [value, set, forget];
}
