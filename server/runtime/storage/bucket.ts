/**
 * Files of stored bodies in an S3-compatible bucket: written whole, read in ranges, listed, deleted. Every call is signed, and retried on
 * failure.
 */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'

/** A bucket, and the credentials for it. */
export interface BucketPlace {
  bucket: string
  /** The prefix of every file name, without slashes at its ends; may be empty. */
  prefix: string
  region: string
  /** The origin of a service with path-style bucket URLs; undefined: AWS, with virtual-hosted buckets. */
  endpoint: string | undefined
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

/** A file in the bucket; its name is without the prefix. */
export interface StoredFile {
  name: string
  bytes: number
}

/** Files in a bucket. All reject with a BucketFault. */
export interface Bucket {
  /** Writes a file, replacing one of the same name. */
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** `length` bytes from `offset` on, fewer if the file ends before; undefined if there is no such file. */
  read(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Deletes a file if it exists. */
  remove(name: string): Promise<void>
  /** All files, sorted by name. */
  list(): Promise<StoredFile[]>
}

/** A failed call: with the error code of the service, such as `InvalidAccessKeyId`, or of the connection. */
export class BucketFault extends Error {
  readonly code: string
  constructor(code: string, doing: string) {
    super(`${doing}: ${code}`)
    this.code = code
  }
}

/** Timeout of one try in milliseconds. */
const withinMs = 60_000
/** Maximum retries, after answers that the service is busy or broken, and after failed connections. */
const retries = 3
const connectionTries = 2

/** Makes no connection: the first call shows whether the bucket exists. */
export function openBucket({ bucket, prefix, region, endpoint, accessKeyId, secretAccessKey, sessionToken }: BucketPlace): Bucket {
  const client = new AwsClient({ accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }), service: 's3', region, retries })
  const base = endpoint ? `${endpoint}/${bucket}` : awsAddress(bucket, region)
  const folder = prefix === '' ? '' : `${prefix}/`
  const addressOf = (name: string) => `${base}/${`${folder}${name}`.split('/').map(encodeURIComponent).join('/')}`

  async function ask(doing: string, address: string, init: RequestInit = {}, fine: readonly number[] = [200]): Promise<Response> {
    const answer = await sent(doing, address, init)
    if (fine.includes(answer.status)) return answer
    const [, code] = /<Code>([A-Za-z0-9.]{1,80})<\/Code>/.exec(await answer.text().catch(() => '')) ?? []
    throw new BucketFault(code ?? `HTTP ${answer.status}`, doing)
  }

  async function sent(doing: string, address: string, init: RequestInit): Promise<Response> {
    for (let left = connectionTries; ; left--) {
      try {
        return await client.fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(withinMs) })
      } catch (thrown) {
        if (left === 0) throw new BucketFault(codeOf(thrown), doing)
      }
    }
  }

  async function page(after: string | undefined): Promise<{ files: StoredFile[]; next: string | undefined }> {
    const asked = { 'list-type': '2', 'encoding-type': 'url', prefix: folder, ...(after && { 'continuation-token': after }) }
    // Signatures use %20; a + would be a different URL.
    const query = Object.entries(asked)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')
    const text = await (await ask('list', `${base}?${query}`)).text()
    const files = [...text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, one = '']) => ({
      name: decodeURIComponent(plain(textIn(one, 'Key') ?? '').replaceAll('+', ' ')).slice(folder.length),
      bytes: Number(textIn(one, 'Size')),
    }))
    return { files, next: plain(textIn(text, 'NextContinuationToken') ?? '') || undefined }
  }

  return {
    async put(name, bytes) {
      // The service verifies it, and refuses data that the network damaged.
      const headers = { 'content-type': 'application/octet-stream', 'x-amz-content-sha256': sha256(bytes) }
      await ask('put', addressOf(name), { method: 'PUT', headers, body: bytes })
    },
    async read(name, offset, length) {
      const headers = { range: `bytes=${offset}-${offset + length - 1}` }
      // 416: the file ends before.
      const answer = await ask('get', addressOf(name), { headers }, [200, 206, 404, 416])
      if (answer.status === 404 && !(await isFileMissing(answer))) throw new BucketFault('NoSuchBucket', 'get')
      if (answer.status === 404) return undefined
      if (answer.status === 416) return new Uint8Array()
      const bytes = await bytesOf(answer)
      return answer.status === 206 ? bytes : bytes.slice(offset, offset + length)
    },
    async remove(name) {
      await ask('delete', addressOf(name), { method: 'DELETE' }, [200, 204, 404])
    },
    async list() {
      const all: StoredFile[] = []
      for (let after: string | undefined, first = true; first || after; first = false) {
        const { files, next } = await page(after)
        all.push(...files)
        after = next
      }
      return all.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}

/** The certificates of bucket hosts only cover one label. */
const awsAddress = (bucket: string, region: string) =>
  bucket.includes('.') ? `https://s3.${region}.amazonaws.com/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const isFileMissing = async (answer: Response) => !(await answer.text()).includes('<Code>NoSuchBucket</Code>')

async function bytesOf(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await answer.arrayBuffer())
  } catch (thrown) {
    throw new BucketFault(codeOf(thrown), 'get')
  }
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown'
  if (thrown.name === 'TimeoutError') return 'timeout'
  const cause = thrown.cause ?? thrown
  const { code } = (typeof cause === 'object' ? cause : thrown) as { code?: unknown }
  return typeof code === 'string' ? code : 'ConnectionFailed'
}

const textIn = (xml: string, name: string): string | undefined => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#39;': "'", '&amp;': '&' }
const plain = (text: string) => text.replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (one) => entities[one] ?? one)
