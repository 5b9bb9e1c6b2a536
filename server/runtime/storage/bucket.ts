/** The files of kept bodies in an S3-compatible bucket: written whole, read in pieces, listed, deleted. Every call is signed and repeated. */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'

/** A bucket, and who asks for it. */
export interface BucketPlace {
  bucket: string
  /** What the name of every file begins with, without slashes at its ends; empty: nothing. */
  prefix: string
  region: string
  /** The origin of the service, which names buckets in its paths; undefined: AWS, where they have hosts of their own. */
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
  /** Writes a file, over one of the same name. */
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** So many bytes from `offset` on, fewer where the file ends before; undefined when there is no such file. */
  read(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Deletes a file; a missing one is fine. */
  remove(name: string): Promise<void>
  /** All files, sorted by name. */
  list(): Promise<StoredFile[]>
}

/** Why the bucket did not do what was asked: the code of its answer, such as `InvalidAccessKeyId`, or of the connection. */
export class BucketFault extends Error {
  readonly code: string
  constructor(code: string, doing: string) {
    super(`${doing}: ${code}`)
    this.code = code
  }
}

/** Milliseconds of one try. */
const withinMs = 60_000
/** Tries after the first one, of answers that say that the service is busy or broken, and of connections that fail. */
const retries = 3
const connectionTries = 2

/** Opens nothing: the first call shows whether the bucket is there. */
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
    // A signature is over %20; a + would be another address.
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
      // The service compares: what the network damaged is refused.
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

/** Hosts of buckets have certificates for one label only. */
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
