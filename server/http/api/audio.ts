/** The audio doors: sound to text in its own language or in English, and text to sound. */

import { audioSeconds } from '#billing/tokens/audio-length'
import type { Form, FormFile, Variant } from '#canonical/operation/operation'
import { readForm } from '#http/request/read-form'
import type { Route, Visit } from '#http/request/route'
import type { Body } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

/** The form with the length of its sound: what is held is decided by it, and what is charged where an upstream does not say. */
async function measured(form: Form, clock: Clock): Promise<Form> {
  const measure = async (file: FormFile): Promise<FormFile> => {
    const seconds = await audioSeconds(file, clock)
    return seconds === undefined ? file : { ...file, seconds }
  }
  // One sound is asked about; a form with more is refused.
  const first = form.parts.find((part) => part.name === 'file' && 'open' in part)
  const parts = form.parts.map((part) => (part === first && 'open' in part ? measure(part) : part))
  return { ...form, parts: await Promise.all(parts) }
}

export function audioRoutes(services: RelayServices): Route[] {
  async function read({ request }: Visit): Promise<Body> {
    const { content, release } = await readForm(services, request)
    return { content: await measured(content, services.clock), release }
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
