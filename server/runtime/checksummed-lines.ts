/**
 * Lines in one compressed file whose last line is the checksum of all others, so that a truncated or modified file is detected. Written
 * under a temporary name first, so that a file of the final name is always complete. Readable by its owner only.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { faultOf } from './small-file.ts'

/** Throws an Error with a one-line message when the file exists or cannot be written; then nothing is left behind. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const unfinished = `${path}.unfinished`
  try {
    await pipeline(Readable.from(sealed(lines)), createGzip({ level: 6 }), createWriteStream(unfinished, { mode: 0o600 }))
    await toDisk(unfinished)
    // Unlike a rename, a link never replaces another file.
    await link(unfinished, path)
  } catch (thrown) {
    throw faultOf(path, thrown) ?? thrown
  } finally {
    await rm(unfinished, { force: true })
  }
}

async function toDisk(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync()
  await file.close()
}

async function* sealed(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  for await (const line of lines) {
    const bytes = Buffer.from(`${line}\n`)
    digest.update(bytes)
    yield bytes
  }
  yield Buffer.from(`sha256 ${digest.digest('hex')}\n`)
}

/** Every line but the checksum, which is verified at the end: throws an Error with a one-line message when the file is damaged. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const digest = createHash('sha256')
  let line: string | undefined
  for await (const next of split(path)) {
    if (line !== undefined) {
      digest.update(`${line}\n`)
      yield line
    }
    line = next
  }
  if (line !== `sha256 ${digest.digest('hex')}`) throw damaged(path)
}

async function* split(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  for await (const chunk of unpacked(path)) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    for (const begun of rest) {
      yield pieces.join('')
      pieces = [begun]
    }
  }
  if (pieces.join('') !== '') throw damaged(path)
}

async function* unpacked(path: string): AsyncGenerator<Uint8Array> {
  const unpack = createGunzip()
  const file = createReadStream(path).on('error', (thrown) => unpack.destroy(thrown))
  try {
    yield* file.pipe(unpack)
  } catch (thrown) {
    throw codeOf(thrown).startsWith('Z_') ? damaged(path, thrown) : (faultOf(path, thrown) ?? thrown)
  } finally {
    file.destroy()
  }
}

const damaged = (path: string, cause?: unknown) => new Error(`${path} is damaged: it was truncated or modified`, { cause })

const codeOf = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '')
