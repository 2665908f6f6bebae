import { Modal } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useState } from 'react';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A dialog that is open while it is in the page. When it closes, the focus returns to where it was.
 * The field to start with has `autoFocus`, so that no key is lost, and `data-autofocus`, so that Modal leaves the focus there.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  // Modal returns the focus only if it stays in the page when it closes.
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
