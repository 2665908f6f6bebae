import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestEngine } from '../../../test/support/data-engine.js';

let test: TestEngine;
beforeAll(async () => {
  test = await TestEngine.start();
});
afterAll(() => test.stop());

it.each([
  'SELECT list_sort(v) FROM (SELECT i::VARIANT v FROM range(5) t(i))',
  'SELECT array_agg(v ORDER BY v) FROM (SELECT CAST(i AS "VaRiAnT") v FROM range(5) t(i))',
  'SELECT TRY_CAST(1 AS main.variant)',
  'SELECT [1, 2]::VARIANT[]',
  "SELECT {'a': 1}::STRUCT(a VARIANT)",
  'SELECT NULL::MAP(VARCHAR, VARIANT)',
  "SELECT json_each.key FROM json_each('[1]'::VARIANT)",
  'SELECT variant_typeof(1)',
  `SELECT from_json('1', '"VARIANT"')`,
  `SELECT json_transform('{"a":1}', '{"a":"variant"}')`,
  `SELECT from_json_strict('1', '"\\u0056ARIANT"')`,
  `SELECT json_transform_strict('1', '"VAR' || 'IANT"')`,
])('rejects the type VARIANT in %s', async (sql) => {
  await expect(test.query(sql)).rejects.toMatchObject({
    code: 'invalid_sql',
    message: expect.stringMatching(/VARIANT|variant_typeof/),
  });
});

it.each(['SELECT pg_sleep(9)', 'SELECT "PG_SLEEP"(9)', 'SELECT pg_catalog.pg_sleep(0.1)', 'SELECT sleep_ms(9000)'])(
  'rejects functions that sleep: %s',
  async (sql) => {
    await expect(test.query(sql)).rejects.toMatchObject({
      code: 'invalid_sql',
      message: expect.stringContaining('cannot be used'),
    });
  },
);

it('allows JSON functions whose structure contains only plain types', async () => {
  const { rows } = await test.query(`SELECT from_json('{"a":"1"}', '{"a":"INTEGER"}').a, 'variant' AS variant`);
  expect(rows).toBe('[[1,"variant"]]');
});
