import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

const S3 = {
  S3_ENDPOINT: 'http://minio:9000',
  S3_ACCESS_KEY: 'an-access-key',
  S3_SECRET_KEY: 'a-secret',
  S3_BUCKET: 'files',
};

describe('S3 settings', () => {
  it('are undefined if no variable is set', () => {
    expect(loadConfig({}).s3).toBeUndefined();
  });

  it('have defaults for the region and the public endpoint', () => {
    expect(loadConfig(S3).s3).toEqual({
      endpoint: 'http://minio:9000',
      publicEndpoint: 'http://minio:9000',
      accessKey: 'an-access-key',
      secretKey: 'a-secret',
      bucket: 'files',
      region: 'us-east-1',
    });
    const other = { ...S3, S3_REGION: 'eu-1', S3_PUBLIC_ENDPOINT: 'https://files.example.com' };
    expect(loadConfig(other).s3).toMatchObject({ region: 'eu-1', publicEndpoint: 'https://files.example.com' });
  });

  it("provide the origins of signed URLs for the page's content security policy", () => {
    expect(loadConfig({}).fileOrigins).toEqual([]);
    const urls = { S3_PUBLIC_ENDPOINT: 'https://files.example.com', PUBLIC_URL: 'https://api.example.com/planner' };
    expect(loadConfig({ ...S3, ...urls }).fileOrigins).toEqual([
      'https://api.example.com',
      'https://files.example.com',
    ]);
    expect(loadConfig({ ...S3, S3_PUBLIC_ENDPOINT: 'https://files.example.com:443' }).fileOrigins).toEqual([
      'https://files.example.com',
    ]);
  });

  it.each([
    ['S3_ENDPOINT', 'minio:9000'],
    ['S3_ENDPOINT', 'http://minio:9000/bucket'],
    ['S3_PUBLIC_ENDPOINT', 'ftp://minio'],
    ['S3_BUCKET', 'No_Bucket'],
    ['S3_ACCESS_KEY', ''],
    ['S3_SECRET_KEY', ''],
    ['S3_BUCKET', ''],
  ])('are rejected if %s is %j, with an error that does not reveal any values', (name, value) => {
    let message = '';
    try {
      loadConfig({ ...S3, [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(name);
    for (const told of [S3.S3_ACCESS_KEY, S3.S3_SECRET_KEY, 'minio:9000', 'No_Bucket'])
      expect(message).not.toContain(told);
  });

  it('are rejected if other variables are set but the endpoint is missing', () => {
    expect(() => loadConfig({ ...S3, S3_ENDPOINT: undefined })).toThrow('S3_SECRET_KEY requires S3_ENDPOINT');
    expect(() => loadConfig({ S3_REGION: 'eu-1' })).toThrow('S3_REGION requires S3_ENDPOINT');
  });
});
