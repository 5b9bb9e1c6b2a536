/** Who counts the tokens of one attempt where its upstream does not say them. */
import type { Head } from '#canonical/codec'
import type { ConversationResponse, Part } from '#canonical/conversation'
import type { Gauge } from '#canonical/gauge'
import type { Usage } from '#canonical/usage'
import { createGauge } from '#metering/tokens'
import type { Candidate } from '#routing/order'

/** `raw` is the body as the client sent it. */
export const gaugeOf = ({ inputBytes, media }: Head, raw: string, { model }: Pick<Candidate, 'model'>): Gauge =>
  createGauge(model.upstream, () => ({ body: raw, bytes: inputBytes, hasFiles: media.length > 0 }))

/** The usage of a whole answer whose codec was told none: it knows roughly what came out, and not what went in. */
export function counted({ usage, choices }: Pick<ConversationResponse, 'usage' | 'choices'>, gauge: Gauge, inputBytes: number): Usage {
  const said = { text: 0, reasoning: 0 }
  for (const part of choices.flatMap(({ parts }) => parts)) {
    const text = textOf(part)
    gauge.hear(text)
    said[part.kind === 'reasoning' ? 'reasoning' : 'text'] += Buffer.byteLength(text)
  }
  const total = gauge.output(said.text + said.reasoning) + usage.out.image
  const out = { ...usage.out, total, reasoning: gauge.output(said.reasoning) }
  return { ...usage, in: { ...usage.in, fresh: gauge.input(inputBytes) }, out }
}

function textOf(part: Part): string {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text
    case 'reasoning':
      return part.text.join('')
    case 'call':
      return part.argsText
    case 'media':
    case 'result':
    case 'native':
      return ''
  }
}
