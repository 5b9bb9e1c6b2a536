/** Location of kept bodies, from the environment. */
import type { BucketPlace } from '#runtime/storage/bucket'
import type { Config } from './config.ts'

/** The folder, which for a bucket holds files not uploaded yet, and the bucket if there is one. */
export function bodiesPlaceOf(config: Config): { folder: string; bucket?: BucketPlace } {
  const { bodiesPlace: place, awsAccessKeyId: accessKeyId = '', awsSecretAccessKey: secretAccessKey = '' } = config
  const folder = `${config.dataFolder}/bodies`
  if (place === undefined) return { folder }
  if ('folder' in place) return place
  const who = { accessKeyId, secretAccessKey, sessionToken: config.awsSessionToken }
  return { folder, bucket: { ...place, ...who, region: config.awsRegion, endpoint: config.awsEndpoint } }
}
