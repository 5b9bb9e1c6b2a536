/** Events of realtime sessions, both ways: both sides use the same protocol, so an event passes unchanged or is refused. */
import { realtimeCodecs } from '#protocols/realtime'
import { eventGuide } from './answers.ts'
import type { Guide } from './cases.ts'
import type { Cell } from './outcome.ts'
import type { WireCase } from './request-cells.ts'

/** The types of events: what clients send, and what upstreams send. */
export const realtimeTypes = {
  request: '{ event?: OpenAI.Realtime.RealtimeClientEvent }',
  stream: '{ event?: OpenAI.Realtime.RealtimeServerEvent }',
} as const

/** How they are walked. */
export const realtimeGuide: Guide = { ...eventGuide, skipped: new Set() }

/** A client's events may be refused: state of others, another model. An upstream's events are only observed, whatever they contain. */
export function realtimeCells(way: 'request' | 'stream', { path, body }: WireCase): Cell[] {
  const meter = realtimeCodecs.openai.meter({ model: 'asked', maxOutput: 4096, context: 32_000, dearest: 'audio' })
  const isRefused = way === 'request' && meter.asked(body).refusal !== undefined
  if (way === 'stream') meter.answered(body)
  const plain = isRefused ? 'refused' : 'same'
  return [{ from: 'realtime', to: 'realtime', path, plain, strict: plain }]
}
