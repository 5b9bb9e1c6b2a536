/** One body at one border, as the thread that carries requests notes it. */
import type { PartHead } from './record.ts'

/** Headers as whoever sends or gets them has them, credentials included: they are blanked by the thread, before anything is written. */
export type RawHeaders = Iterable<readonly [name: string, value: string]> | Readonly<Record<string, string>>

/** A body that is being noted. Its address, too, is as it was. */
export interface NotedPart extends Omit<PartHead, 'bytes' | 'pieces' | 'headers' | 'redacted'> {
  headers: RawHeaders
  bytes: number
  pieces: number[]
  chunks: (Uint8Array | string)[]
}

/** Whom an upstream request is for. */
export type Addressee = NonNullable<PartHead['to']>
