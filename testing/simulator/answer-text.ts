/**
 * Writes the simulated upstreams' answers in each wire format, following the vendors' documentation and independent of Parley's codecs. The
 * formats are in `wire-format-openai.ts`, `wire-format-others.ts` and `wire-format-images.ts`.
 */
import type { Answer, Refused } from './script.ts'
import type { WireFormat } from './wire-format.ts'
import { geminiImages, images } from './wire-format-images.ts'
import { chat, embeddings, responses } from './wire-format-openai.ts'
import { embedContent, gemini, messages } from './wire-format-others.ts'

/** The wire format of an exchange; the last four are embeddings and images, in OpenAI's and in Google's form. */
export type WireName = 'chat' | 'messages' | 'responses' | 'gemini' | 'embeddings' | 'embedContent' | 'images' | 'geminiImages'

const wireFormats: Readonly<Record<WireName, WireFormat>> = {
  chat,
  messages,
  responses,
  gemini,
  embeddings,
  embedContent,
  images,
  geminiImages,
}

/** Whether this format carries embeddings. */
export const makesEmbeddings = (wire: WireName): boolean => wire === 'embeddings' || wire === 'embedContent'

/** Whether this format carries images. */
export const makesImages = (wire: WireName): boolean => wire === 'images' || wire === 'geminiImages'

/** Whether fallback models do not apply to this format. */
export const isSideOperation = (wire: WireName): boolean => makesEmbeddings(wire) || makesImages(wire)

/** About 300 tokens. */
const filler = ' word'.repeat(300)

/** Words marked with their attempt's number, so that received text identifies the attempt that produced it. */
export const wordsOf = (attempt: number, count: number, long: boolean): string[] =>
  Array.from({ length: count }, (_, index) => `<${attempt}.${index}${long ? filler : ''}>`)

/** The text for display, without the filler of long words. */
export const shortened = (text: string): string => text.replaceAll(filler, '...')

/** The body of an error answer with this status. */
export const refusalText = (wire: WireName, status: number, why: Refused): string => JSON.stringify(wireFormats[wire].refusal(status, why))

/** A streamed answer as frames, with its fault in place. */
export function framesOf(wire: WireName, answer: Answer, words: readonly string[]): string[] {
  const { frames: framesFor, failure } = wireFormats[wire]
  const frames = framesFor(answer, words)
  const { fault } = answer
  if (!fault || fault.at >= frames.length) return frames
  if (fault.what === 'garbage') return [...frames.slice(0, fault.at), 'data: {"choices": [nonsense\n\n', ...frames.slice(fault.at)]
  return [...frames.slice(0, fault.at), failure]
}

/** The body of an answer that is not streamed. */
export const wholeText = (wire: WireName, answer: Answer, words: readonly string[]): string =>
  JSON.stringify(wireFormats[wire].whole(answer, words))

/** The offsets in a text at which the finish reason and the last usage figure begin; negative if absent. */
export function placesIn(wire: WireName, text: string): { finish: number; usage: number } {
  const { finish, figures } = wireFormats[wire]
  return { finish: text.search(finish), usage: text.lastIndexOf(`"${figures}"`) }
}
