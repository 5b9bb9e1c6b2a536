/**
 * The files of kept bodies: sealed records in sequence, one file per hour and instance, more where one grows large. A file
 * is written by one process, from its beginning; no row points to a record that a kill leaves half written. Everything here blocks.
 */

import { type AppendFile, filesIn, newAppendFile, readSpan, removeFile } from '#runtime/storage/append-file'
import type { BodyPlace } from '#store/bodies/kept-bodies'

/** How files are written. */
export interface SegmentOptions {
  /** Bytes: beyond this size a new file is begun. */
  largest: number
  /** Bytes of all files of this instance, beyond which nothing is added. */
  most: number
  /** Part of this process's file names that no other process has used: earlier files may have left the folder when a name is chosen. */
  series: string
}

const usual: SegmentOptions = { largest: 256 * 1024 * 1024, most: Number.POSITIVE_INFINITY, series: '' }

/** Location of a record in the files. */
export interface Span {
  segment: string
  offset: number
  length: number
}

/** Files of one instance, which writes them, and of others, which share the folder. */
export interface Segments {
  /** Adds a record to the file of this hour (milliseconds since the epoch). Throws when the disk refuses. */
  append(record: Uint8Array, at: number): Span
  /** The bytes there, fewer if the file is shorter; undefined when there is no such file. */
  read(span: Span): Uint8Array | undefined
  /** Closes the open file. */
  close(): void
  /** Bytes of all files of this instance. */
  bytes(): number
  /** Whether the maximum is reached. */
  isFull(): boolean
  /** The closed files of this instance, oldest first, and their bytes. */
  closed(): { name: string; bytes: number }[]
  /**
   * Writes these records of a closed file into one new file, in order; returns their new places. A record that is incomplete there
   * is left out. Throws when the disk refuses, and leaves nothing behind.
   */
  rewrite(from: string, places: readonly BodyPlace[]): BodyPlace[]
  remove(name: string): void
}

const hourMs = 3_600_000

/** The instance in the name of a file. */
export const instanceOf = (name: string): string => name.split('-')[1] ?? ''

/** Prefix of the names of all files of this hour; names sort by it. */
export const hourName = (at: number): string => new Date(at).toISOString().slice(0, 13).replace(/\D/g, '')

/** The files of `instance` in a folder. */
export function openSegments(folder: string, instance: string, { largest, most, series } = usual): Segments {
  let open: { file: AppendFile; name: string; hour: number } | undefined
  let last = 0

  const own = () => filesIn(folder).filter(({ name }) => name.includes(`-${instance}-`))

  const bytes = () => own().reduce((sum, { bytes }) => sum + bytes, 0)

  function fresh(hour: string): { file: AppendFile; name: string } {
    const taken = own().flatMap(({ name }) => (name.startsWith(`${hour}-`) ? Number(/-(\d+)\.bodies$/.exec(name)?.[1] ?? 0) : []))
    last = Math.max(series === '' ? 0 : last, ...taken) + 1
    const name = `${hour}-${instance}-${series}${String(last).padStart(4, '0')}.bodies`
    return { file: newAppendFile(folder, name), name }
  }

  function current(at: number): { file: AppendFile; name: string } {
    const hour = Math.floor(at / hourMs)
    if (open && open.hour === hour && open.file.size < largest) return open
    close()
    open = { ...fresh(hourName(at)), hour }
    return open
  }

  function close(): void {
    open?.file.close()
    open = undefined
  }

  return {
    append(record, at) {
      const { file, name } = current(at)
      return { segment: name, offset: file.append(record), length: record.length }
    },
    read: ({ segment, offset, length }) => readSpan(folder, segment, offset, length),
    close,
    bytes,
    isFull: () => most < Number.POSITIVE_INFINITY && bytes() >= most,
    closed: () => own().filter(({ name }) => name !== open?.name),
    rewrite(from, places) {
      const { file, name } = fresh(from.slice(0, 10))
      try {
        return places.flatMap((span) => {
          const record = readSpan(folder, span.segment, span.offset, span.length)
          return record?.length === span.length ? { ...span, segment: name, offset: file.append(record) } : []
        })
      } catch (thrown) {
        removeFile(folder, name)
        throw thrown
      } finally {
        file.close()
      }
    },
    remove: (name) => removeFile(folder, name),
  }
}
