import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationsService } from '../database/notifications.service.js';

/** Notification channel for ended executions. The notification key is the execution's id. */
const ENDED_EXECUTIONS = 'ended_executions';
/** Interval at which waiting callers poll, in case a notification is lost. */
const POLL_MS = 2_000;

/** Announces the end of executions to all processes. */
@Injectable()
export class ExecutionEndedChannel implements OnModuleInit {
  private readonly listeners = new Set<(id: string) => void>();

  constructor(private readonly notifications: NotificationsService) {}

  onModuleInit(): void {
    this.notifications.listen(ENDED_EXECUTIONS, (id) => {
      if (id !== null) for (const listener of this.listeners) listener(id);
    });
  }

  /** Calls `listener` with the id of each execution that has ended. */
  listen(listener: (id: string) => void): void {
    this.listeners.add(listener);
  }

  /** Announces ended executions to every process. Must be called after the transaction that ended them has committed. */
  send(...ids: string[]): void {
    for (const id of ids) this.notifications.send(ENDED_EXECUTIONS, id);
  }

  /**
   * Calls `poll` until it returns a result: first immediately, then when the execution ends and at a regular interval.
   *
   * @throws the signal's reason if it aborts before there is a result
   */
  async until<Result>(id: string, poll: () => Promise<Result | undefined>, signal: AbortSignal): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      const wakeUp = this.waitForWakeUp(id, signal);
      try {
        const result = await poll();
        if (result !== undefined) return result;
        await wakeUp.promise;
      } finally {
        wakeUp.stop();
      }
    }
  }

  private waitForWakeUp(id: string, signal: AbortSignal): { promise: Promise<void>; stop: () => void } {
    let stop = (): void => undefined;
    const promise = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      const wake = (): void => resolve();
      const listener = (ended: string): void => {
        if (ended === id) resolve();
      };
      this.listeners.add(listener);
      signal.addEventListener('abort', wake, { once: true });
      stop = () => {
        clearTimeout(timer);
        this.listeners.delete(listener);
        signal.removeEventListener('abort', wake);
      };
    });
    return { promise, stop };
  }
}
