/**
 * Non-text content that a request contains or asks for. It is counted, and often priced, differently from text, which matters for the
 * hold and for judging the upstream's figures.
 */

/** Pieces of one kind. */
export interface Brought {
  pieces: number
  /** Their bytes in the body; almost none for those referenced by URL or id. */
  bytes: number
  /** How many of them are referenced by URL or id. */
  elsewhere: number
}

/** Non-text content of a request. */
export interface NonTextContent {
  images: Brought
  sounds: Brought
  /** Documents, videos, and unknown types. */
  files: Brought
  /** A part has a cache breakpoint with this lifetime. */
  cached?: '5m' | '1h'
  /** Requested kinds of output, lower case; absent = the model decides. */
  modalities?: readonly string[]
  /** Maximum number of hosted searches, if given. */
  searches?: number
  /** True when the model gets more input than the body contains: tools run by the upstream, stored state. */
  unseen?: boolean
}

const none: Brought = { pieces: 0, bytes: 0, elsewhere: 0 }

/** It is text and asks for text. */
export const onlyText: Readonly<NonTextContent> = { images: none, sounds: none, files: none }
