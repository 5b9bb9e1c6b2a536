/** The wire formats of images: OpenAI's, whole or streamed with partial images, and Google's. The image data is the word itself. */
import type { Answer } from './script.ts'
import { sse, type WireFormat } from './wire-format.ts'
import { embeddings } from './wire-format-openai.ts'
import { gemini } from './wire-format-others.ts'

const figuresOf = ({ usage }: Answer) =>
  usage && { usage: { input_tokens: usage.in, output_tokens: usage.out, total_tokens: usage.in + usage.out } }

/** One image and the partial images before it; a missing image stays partial. */
function imagesFrames(answer: Answer, [picture = '']: readonly string[]): string[] {
  const event = (kind: string, fields: object) => {
    const type = `image_generation.${kind}`
    return sse({ type, b64_json: picture, created_at: 1, ...fields }, type)
  }
  const partialImages = Array.from({ length: answer.partialImages }, (_, index) => event('partial_image', { partial_image_index: index }))
  return [...partialImages, ...(answer.short ? [] : [event('completed', { ...figuresOf(answer) })])]
}

export const images: WireFormat = {
  frames: imagesFrames,
  whole: (answer, words) => ({ created: 1, data: words.map((b64_json) => ({ b64_json })), ...figuresOf(answer) }),
  refusal: embeddings.refusal,
  failure: sse({ type: 'error', error: { type: 'server_error', message: 'no', code: 'server_error' } }, 'error'),
  // The finished image is the only end marker.
  finish: /"type":"image_generation\.completed"|^\{"created":1,"data":\[\{/,
  figures: 'output_tokens',
}

export const geminiImages: WireFormat = {
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
