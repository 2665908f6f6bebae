// This module is imported first, so that an old Node reports the required version instead of a syntax error or a missing
// module.
const NEEDED = [20, 19];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(`Node ${NEEDED.join('.')} or newer is needed; this is Node ${process.versions.node}.`);
  process.exit(1);
}
