/* `node healthcheck.mjs live|ready`: whether the service of this container is; says so by its exit code. */
const [what = 'live'] = process.argv.slice(2);
const { PORT = '3000' } = process.env;
const answer = await fetch(`http://127.0.0.1:${PORT}/health/${what}`, { signal: AbortSignal.timeout(5_000) });
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
