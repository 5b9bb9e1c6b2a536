/** Usage of pictures as OpenAI reports it: input and output tokens, each of text and of pictures. */
import type { ReportedImageUsage } from '#canonical/operation/image'
import { noUsage, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { bounded } from '../usage.ts'

/** More tokens than any request can have; larger figures are not believed. */
const absurd = 1e9

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= absurd ? value : undefined

/** `svg`: usage of the model that wrote the drawing, in addition to the one that made the picture. Undefined = implausible. */
export function readImageUsage(usage: unknown, svg?: unknown): ReportedImageUsage | undefined {
  if (!isObject(usage)) return undefined
  const input = count(usage.input_tokens ?? usage.prompt_tokens)
  const output = count(usage.output_tokens ?? usage.completion_tokens)
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const inputs = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const outputs = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {}
  const reported = noUsage()
  reported.in.cacheRead = Math.min(input, count(inputs.cached_tokens) ?? 0)
  reported.in.image = Math.min(input - reported.in.cacheRead, count(inputs.image_tokens) ?? 0)
  reported.in.fresh = input - reported.in.cacheRead - reported.in.image
  reported.out.total = output
  // If unspecified, the output of a picture model counts as a picture.
  reported.out.image = Math.min(output, count(outputs.image_tokens) ?? output - Math.min(output, count(outputs.text_tokens) ?? 0))
  addDrawing(reported, svg)
  return { in: reported.in, out: reported.out, raw: bounded(usage) }
}

function addDrawing(reported: Usage, svg: unknown): void {
  if (!isObject(svg)) return
  reported.in.fresh += count(svg.input_tokens) ?? 0
  const output = count(svg.output_tokens) ?? 0
  reported.out.total += output
  reported.out.reasoning += Math.min(output, count(svg.reasoning_tokens) ?? 0)
}

/** Usage in OpenAI's format. */
export function writeImageUsage({ in: input, out: output }: Usage): Record<string, unknown> {
  const cached = input.cacheRead + input.cacheWrite['5m'] + input.cacheWrite['1h'] + input.cacheWrite.other
  const text = input.fresh + input.audio + cached
  return {
    input_tokens: text + input.image,
    input_tokens_details: { text_tokens: text, image_tokens: input.image },
    output_tokens: output.total,
    output_tokens_details: { text_tokens: output.total - output.image, image_tokens: output.image },
    total_tokens: text + input.image + output.total,
  }
}
