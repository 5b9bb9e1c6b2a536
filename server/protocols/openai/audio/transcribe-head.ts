/** What Parley reads of a transcription or translation: the model, the file, the format, whether it streams. */
import type { Form, Incoming, Variant } from '#canonical/operation/operation'
import { noUsage, type Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { readModel, wrong } from '../fields.ts'
import { formField, formFile, formFlag, formOf } from '../form.ts'
import { type TranscriptFormat, transcriptFormats } from './formats.ts'
import { inputTokensPerSecond, type Measured } from './usage.ts'

export interface TranscribeHead extends Measured {
  format: TranscriptFormat
}

/** Bytes per second if the file does not contain its duration: typical, and the usual minimum. */
const usual = 16_000
const fewest = 2_000

/** For the hold: more tokens per second than even a fast speaker produces, in any language. */
const mostInputPerSecond = 20
const mostOutputPerSecond = 12

/** Throws GatewayError 400 with the field as `param`; `variant` distinguishes translations from transcriptions. */
export function readTranscribeHead(body: Incoming, _path?: string, variant?: Variant): TranscribeHead {
  const form = formOf(body)
  const model = readModel(formField(form, 'model'))
  const file = formFile(form, 'file')
  const stream = formFlag(form, 'stream') ?? false
  if (stream && variant === 'translate') {
    throw new GatewayError('unsupported_value', 'A translation is answered whole, not as a stream.', { param: 'stream' })
  }
  checkTemperature(form)
  const text = textBytes(form)
  return {
    model,
    stream,
    format: formatOf(form, variant),
    n: 1,
    inputBytes: form.size,
    usageAsked: true,
    media: ['audio'],
    searchAsked: false,
    affinity: [],
    most: mostUsage(file.seconds === undefined ? file.size / fewest : file.seconds + 1, text),
    estimate: (delivered) => estimated(file.seconds ?? file.size / usual, text, delivered),
  }
}

/** Only checks that it is a number; the upstream checks the range. */
function checkTemperature(form: Form): void {
  const value = formField(form, 'temperature')
  if (value !== undefined && value !== '' && !Number.isFinite(Number(value))) throw wrong('temperature', 'a number')
}

function formatOf(form: Form, variant: Variant | undefined): TranscriptFormat {
  const value = formField(form, 'response_format') || 'json'
  const known = transcriptFormats.filter((one) => variant !== 'translate' || one !== 'diarized_json')
  const format = known.find((one) => one === value)
  if (format === undefined) throw wrong('response_format', `one of ${known.join(', ')}`)
  return format
}

/** Bytes of model input besides the audio. */
const textBytes = ({ parts }: Form) =>
  parts.reduce((sum, part) => sum + ('open' in part || !/^(prompt|keywords)\b/.test(part.name) ? 0 : Buffer.byteLength(part.value)), 0)

function mostUsage(seconds: number, text: number): Usage {
  const usage = noUsage()
  usage.units.seconds = Math.ceil(seconds)
  usage.in.audio = Math.ceil(seconds * mostInputPerSecond)
  usage.in.fresh = text
  usage.out.total = Math.ceil(seconds * mostOutputPerSecond) + 100
  return usage
}

function estimated(seconds: number, text: number, delivered: number): Usage {
  const usage = noUsage()
  usage.units.seconds = seconds
  usage.in.audio = Math.ceil(seconds * inputTokensPerSecond)
  usage.in.fresh = Math.ceil(text / 4)
  usage.out.total = Math.ceil(delivered / 4)
  return usage
}
