/**
 * The bytes of a simulated answer in every contract that the simulator's upstreams speak, written as its documents say. Knows
 * nothing of the codecs. The contracts are in `speech-openai.ts`, `speech-others.ts` and `speech-images.ts`.
 */
import type { Answer, Refused } from './script.ts'
import type { Speech } from './speech.ts'
import { drawing, images } from './speech-images.ts'
import { chat, embeddings, responses } from './speech-openai.ts'
import { embedContent, gemini, messages } from './speech-others.ts'

/** The last four are embeddings and pictures, in the style of OpenAI and of Google. */
export type Spoken = 'chat' | 'messages' | 'responses' | 'gemini' | 'embeddings' | 'embedContent' | 'images' | 'drawing'

const speeches: Readonly<Record<Spoken, Speech>> = { chat, messages, responses, gemini, embeddings, embedContent, images, drawing }

export const embeds = (spoken: Spoken): boolean => spoken === 'embeddings' || spoken === 'embedContent'

export const paints = (spoken: Spoken): boolean => spoken === 'images' || spoken === 'drawing'

/** Nothing stands in for a model that does this. */
export const isSide = (spoken: Spoken): boolean => embeds(spoken) || paints(spoken)

/** Some 300 tokens. */
const filler = ' word'.repeat(300)

/** Words that name their attempt: what arrives tells who said it. */
export const wordsOf = (attempt: number, count: number, long: boolean): string[] =>
  Array.from({ length: count }, (_, index) => `<${attempt}.${index}${long ? filler : ''}>`)

/** For people: without what fills long words. */
export const shortened = (text: string): string => text.replaceAll(filler, '...')

export const refusalText = (spoken: Spoken, status: number, why: Refused): string => JSON.stringify(speeches[spoken].refusal(status, why))

/** A stream as frames, its fault in its place. */
export function framesOf(spoken: Spoken, answer: Answer, words: readonly string[]): string[] {
  const { frames: framesFor, failure } = speeches[spoken]
  const frames = framesFor(answer, words)
  const { fault } = answer
  if (!fault || fault.at >= frames.length) return frames
  if (fault.what === 'garbage') return [...frames.slice(0, fault.at), 'data: {"choices": [nonsense\n\n', ...frames.slice(fault.at)]
  return [...frames.slice(0, fault.at), failure]
}

/** An answer that is not streamed. */
export const wholeText = (spoken: Spoken, answer: Answer, words: readonly string[]): string =>
  JSON.stringify(speeches[spoken].whole(answer, words))

/** Where in a text the reason why it stops and the last of the figures begin; negative = nowhere. */
export function placesIn(spoken: Spoken, text: string): { finish: number; usage: number } {
  const { finish, figures } = speeches[spoken]
  return { finish: text.search(finish), usage: text.lastIndexOf(`"${figures}"`) }
}
