/**
 * A worker with callers on a separate thread, and an upstream for them, so that measurements beside them are not delayed by their work.
 * Given a `Crowd`, it returns the number of requests by outcome.
 */
import { respondJson } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './chat-answer.ts'

/** Each key asks once; so many callers take them in turn. */
export interface Crowd {
  url: string
  keys: readonly string[]
  callers: number
  body: string
}

/** How many requests ended how: by status, and the error's code. */
export type CrowdOutcome = Record<string, number>

declare const self: Worker

const upstream = await scriptedUpstream()
self.onmessage = async ({ data }: MessageEvent<Crowd | { usage: object }>) => {
  if ('usage' in data) {
    upstream.answer(respondJson(200, chatAnswer(data.usage)))
    return self.postMessage(upstream.url)
  }
  self.postMessage(await askAll(data))
}

async function askAll({ url, keys, callers, body }: Crowd): Promise<CrowdOutcome> {
  const outcome: CrowdOutcome = {}
  let next = 0
  async function caller(): Promise<void> {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
      const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      const text = await answer.text()
      const end = answer.ok ? '200' : `${answer.status} ${JSON.parse(text).error.code}`
      outcome[end] = (outcome[end] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return outcome
}
