/** One body at one border, as recorded by the thread that carries requests. */
import type { PartHead } from './record.ts'

/** Raw headers, credentials included: the thread blanks those before anything is written. */
export type RawHeaders = Iterable<readonly [name: string, value: string]> | Readonly<Record<string, string>>

/** A body being recorded. Its address is raw, too. */
export interface NotedPart extends Omit<PartHead, 'bytes' | 'pieces' | 'headers' | 'redacted'> {
  headers: RawHeaders
  bytes: number
  pieces: number[]
  chunks: (Uint8Array | string)[]
}

/** The addressee of an upstream request. */
export type Addressee = NonNullable<PartHead['to']>
