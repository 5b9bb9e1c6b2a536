/**
 * Spools uploads: a little of each in memory, the rest in files of one folder, so that memory use stays flat and every attempt can read
 * them again. File names are generated. Nothing outlives its request, or the next start.
 */
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '#shared/errors'
import type { Random } from './clock.ts'
import { platform } from './platform.ts'

export interface Spool {
  /** Opens the spool for the files of one request. */
  upload(): Upload
}

export interface Upload {
  /** Starts a file; one at a time. */
  file(): SpoolWriter
  /** Discards all files; safe to call again. A file that is being read can be read to its end. */
  release(): void
}

export interface SpoolWriter {
  /** Copies the bytes. Throws GatewayError `overloaded` on a disk error. */
  write(bytes: Uint8Array): Promise<void>
  done(): Promise<Spooled>
}

export interface Spooled {
  /** Bytes. */
  size: number
  /** From the beginning, any number of times. */
  open(): ReadableStream<Uint8Array>
}

/** Bytes of one upload that stay in memory. */
const memoryBytes = 1024 * 1024

const full = (cause: unknown) => new GatewayError('overloaded', 'There is no room for this upload right now.', { retryAfter: 5, cause })

/** Creates the folder, for its owner only, and removes what an earlier run left in it. The caller holds the lock of the data folder. */
export async function openSpool(folder: string, random: Random): Promise<Spool> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return { upload: () => createUpload(() => join(folder, random.hex(16))) }
}

function createUpload(freshPath: () => string): Upload {
  const files: { path: string; handle: FileHandle }[] = []
  let left = memoryBytes

  async function freshFile(): Promise<FileHandle> {
    const path = freshPath()
    const handle = await open(path, 'wx', 0o600)
    files.push({ path, handle })
    return handle
  }

  function file(): SpoolWriter {
    let chunks: Uint8Array<ArrayBuffer>[] = []
    let size = 0
    let handle: FileHandle | undefined

    async function spill(): Promise<FileHandle> {
      const made = await freshFile()
      for (const chunk of chunks) await writeAll(made, chunk)
      left += size
      chunks = []
      return made
    }

    return {
      async write(bytes) {
        try {
          if (!handle && bytes.length > left) handle = await spill()
          if (handle) await writeAll(handle, bytes)
        } catch (cause) {
          throw full(cause)
        }
        if (!handle) {
          chunks.push(new Uint8Array(bytes))
          left -= bytes.length
        }
        size += bytes.length
      },
      async done() {
        const path = files.find((one) => one.handle === handle)?.path
        await handle?.close()
        return { size, open: () => (path === undefined ? new Blob(chunks).stream() : platform.readFile(path)) }
      },
    }
  }

  return {
    file,
    release() {
      for (const { path, handle } of files.splice(0)) {
        // An aborted upload left its file open; closing it twice only fails harmlessly.
        void handle
          .close()
          .catch(() => undefined)
          .then(() => rm(path, { force: true }))
          .catch(() => undefined)
      }
    },
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten
}
