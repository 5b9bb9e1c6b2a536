/** The usage of pictures where Google reports none: the same estimate that the hold was made with. */
import { type ImageHead, type ImageQuestion, imageCost } from '#canonical/operation/image'
import type { OperationHead } from '#canonical/operation/operation'

type Estimate = Pick<ImageHead, 'priced' | 'pictureTokens' | 'promptTokens' | 'inputTokens'>

/** `asked` is the head of the request, which knows whether pictures have a price of their own. */
export function estimateFor({ prompt, size, quality, images }: ImageQuestion, asked: OperationHead | undefined): Estimate {
  const settings = { n: 1, size, quality, promptBytes: Buffer.byteLength(prompt), seen: images.length, fidelity: 'low', partials: 0 }
  return { ...imageCost(settings), ...(asked?.priced && { priced: asked.priced }) }
}
