import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/**
 * Appends a line of JSON for each test file to the file named in TEST_RESULTS: `{file, seconds, failures: [{test,
 * error}]}`. A test file that cannot be loaded counts as a failure.
 */
export default class ResultsReporter {
  onTestResult(_test, { testFilePath, perfStats, testResults, testExecError }) {
    const failures = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({ test: fullName, error: plain(failureMessages[0] ?? 'No message') }));
    if (testExecError !== undefined && testExecError !== null) {
      failures.push({ test: '(the whole file)', error: plain(testExecError.stack ?? testExecError.message) });
    }
    const result = { file: testFilePath, seconds: perfStats.runtime / 1000, failures };
    appendFileSync(process.env.TEST_RESULTS, `${JSON.stringify(result)}\n`);
  }
}

const plain = (text) => stripVTControlCharacters(String(text));
