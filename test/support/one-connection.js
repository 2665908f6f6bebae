/*
 * Loaded into a process of the service before it starts: whatever asks for a connection while it is in a transaction fails. Those
 * that wait for a lock of that transaction may have taken all the others.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { DataSource } from 'typeorm';

const transactions = new AsyncLocalStorage();

const { transaction } = DataSource.prototype;
DataSource.prototype.transaction = async function (...given) {
  const work = given.pop();
  return await transaction.call(this, ...given, async (tx) => {
    // What goes on by itself afterwards is in it no more.
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
