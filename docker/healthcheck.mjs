/* `node healthcheck.mjs live|ready`: exits with 0 if the service in this container is live or ready. */
const [what = 'live'] = process.argv.slice(2);
const { PORT = '3000' } = process.env;
const answer = await fetch(`http://127.0.0.1:${PORT}/health/${what}`, { signal: AbortSignal.timeout(5_000) });
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
