/** Pictures as OpenAI's upstreams make them, whole or shown while they become, and as Google's do. The bytes of a picture are its word. */
import type { Answer } from './script.ts'
import { type Speech, sse } from './speech.ts'
import { embeddings } from './speech-openai.ts'
import { gemini } from './speech-others.ts'

const figuresOf = ({ usage }: Answer) =>
  usage && { usage: { input_tokens: usage.in, output_tokens: usage.out, total_tokens: usage.in + usage.out } }

/** One picture, with what is to be seen of it before; one that is missing stays unfinished. */
function imagesFrames(answer: Answer, [picture = '']: readonly string[]): string[] {
  const event = (kind: string, fields: object) => {
    const type = `image_generation.${kind}`
    return sse({ type, b64_json: picture, created_at: 1, ...fields }, type)
  }
  const sketches = Array.from({ length: answer.sketches }, (_, index) => event('partial_image', { partial_image_index: index }))
  return [...sketches, ...(answer.short ? [] : [event('completed', { ...figuresOf(answer) })])]
}

export const images: Speech = {
  frames: imagesFrames,
  whole: (answer, words) => ({ created: 1, data: words.map((b64_json) => ({ b64_json })), ...figuresOf(answer) }),
  refusal: embeddings.refusal,
  failure: sse({ type: 'error', error: { type: 'server_error', message: 'no', code: 'server_error' } }, 'error'),
  // A finished picture is the only end that there is.
  finish: /"type":"image_generation\.completed"|^\{"created":1,"data":\[\{/,
  figures: 'output_tokens',
}

export const drawing: Speech = {
  frames: () => [],
  whole(answer, words) {
    const { candidates: _, ...around } = gemini.whole(answer, []) as Record<string, unknown>
    const parts = words.map((data) => ({ inlineData: { mimeType: 'image/png', data } }))
    return { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }], ...around }
  },
  refusal: gemini.refusal,
  failure: '',
  finish: gemini.finish,
  figures: gemini.figures,
}
