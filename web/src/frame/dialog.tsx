import { Modal } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * Dialog that is open while it is mounted. When it closes, the focus returns to the previously focused element. Set both
 * `autoFocus` and `data-autofocus` on the first field: with `autoFocus`, no key presses are lost, and `data-autofocus` makes
 * Modal keep the focus there.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  // Modal only returns the focus if it stays mounted while it is closing.
  const [previous] = useState(() => document.activeElement);
  useLayoutEffect(
    () => () => {
      if (previous instanceof HTMLElement) previous.focus({ preventScroll: true });
    },
    [previous],
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
      styles={{ title: { overflowWrap: 'anywhere' } }}
    >
      {children}
    </Modal>
  );
}
