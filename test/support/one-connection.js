/*
 * Preloaded into a service process. Code that requests a second connection within a transaction fails, because all
 * other connections may be waiting for a lock held by that transaction.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { DataSource } from 'typeorm';

const transactions = new AsyncLocalStorage();

const { transaction } = DataSource.prototype;
DataSource.prototype.transaction = async function (...given) {
  const work = given.pop();
  return await transaction.call(this, ...given, async (tx) => {
    // Work that continues in the background after the transaction is not part of the transaction.
    const state = { isOver: false };
    try {
      return await transactions.run(state, () => work(tx));
    } finally {
      state.isOver = true;
    }
  });
};

const { connect } = pg.Pool.prototype;
pg.Pool.prototype.connect = function (...given) {
  if (transactions.getStore()?.isOver === false) throw new Error('A transaction asks for a second connection');
  return connect.apply(this, given);
};
