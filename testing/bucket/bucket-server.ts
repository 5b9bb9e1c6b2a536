/** A bucket of a real S3-compatible server, which checks signatures: one process, whose objects the tests inspect. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3Server from '@20minutes/s3rver'
import type { BucketPlace } from '#runtime/storage/bucket'

/** The bucket, and its server. */
export interface BucketServer {
  place: BucketPlace
  /** The objects in the bucket by their names without the prefix, as their bytes. */
  objects(): Promise<Map<string, Uint8Array>>
  /** Ends the server; its objects stay. */
  stop(): Promise<void>
  /** Starts it again at the same address. */
  start(): Promise<void>
  /** Ends it and removes everything. */
  remove(): Promise<void>
}

/** The ending of the file in which the server keeps an object's bytes. */
const ending = '._S3rver_object'

/** Starts one. */
export async function bucketServer(prefix = 'parley/kept'): Promise<BucketServer> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-bucket-'))
  let port = 0
  let server: S3Server

  async function start(): Promise<void> {
    server = new S3Server({ port, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'kept', configs: [] }] })
    port = (await server.run()).port
  }

  await start()
  const who = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', sessionToken: undefined }
  return {
    place: { bucket: 'kept', prefix, region: 'eu-central-1', endpoint: `http://127.0.0.1:${port}`, ...who },
    async objects() {
      const folder = join(directory, 'kept', prefix)
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(ending)).sort()
      const files = names.map(async (name) => [name.slice(0, -ending.length), await readFile(join(folder, name))] as const)
      return new Map(await Promise.all(files))
    },
    stop: () => server.close(),
    start,
    async remove() {
      await server.close().catch(() => undefined)
      await rm(directory, { recursive: true, force: true })
    },
  }
}
