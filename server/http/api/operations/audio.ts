/** Audio endpoints: transcription, translation to English, and speech. */

import type { Form, FormFile, Variant } from '#canonical/operation/operation'
import { answer } from '#http/api/operation-route'
import type { RelayServices } from '#http/api/relay-route'
import { readForm } from '#http/request/read-form'
import type { Route, Visit } from '#http/request/route'
import type { Body } from '#relay/contract/ask'
import type { BodyRoom } from '#relay/contract/body-rooms'
import type { AudioLengths } from '#relay/contract/large-body'

/** The form and the duration of its audio, which sizes the hold and is charged when the upstream reports no duration. */
async function measured(form: Form, lengths: AudioLengths, caller: string): Promise<Form> {
  const measure = async (file: FormFile): Promise<FormFile> => {
    const seconds = await lengths.of(file, caller)
    return seconds === undefined ? file : { ...file, seconds }
  }
  // A request is for one audio file; a form with more is refused.
  const first = form.parts.find((part) => part.name === 'file' && 'open' in part)
  const parts = form.parts.map((part) => (part === first && 'open' in part ? measure(part) : part))
  return { ...form, parts: await Promise.all(parts) }
}

/** `/v1/audio/transcriptions`, `/v1/audio/translations`, `/v1/audio/speech`. */
export function audioRoutes(services: RelayServices & { audioLengths: AudioLengths }): Route[] {
  async function read({ request, capture }: Visit, caller: string, room?: Pick<BodyRoom, 'grow'>): Promise<Body> {
    const { content, release } = await readForm(services, request, capture, room)
    return { content: await measured(content, services.audioLengths, caller), release }
  }
  const listen = (path: string, variant?: Variant): Route => ({
    method: 'POST',
    path,
    envelope: 'chat',
    slow: true,
    handle: (visit) => answer(services, visit, { operation: 'transcribe', style: 'openai', read, ...(variant && { variant }) }),
  })
  return [
    listen('/v1/audio/transcriptions'),
    listen('/v1/audio/translations', 'translate'),
    {
      method: 'POST',
      path: '/v1/audio/speech',
      envelope: 'chat',
      slow: true,
      handle: (visit) => answer(services, visit, { operation: 'speak', style: 'openai' }),
    },
  ]
}
