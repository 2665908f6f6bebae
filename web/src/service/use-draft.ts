import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
import { saveInTab } from './save-in-tab';
import { useService } from './service';

/**
 * State that the user edits. It is kept in the tab across reloads and navigation. Call `forget` when it was saved or discarded.
 *
 * @param place unique name of the state on the page
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
    if (isWritten.current) saveInTab(key, value);
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
