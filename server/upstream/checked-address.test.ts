/** A connection goes to the address that was checked, whatever DNS returns a moment later. */
import { expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { respond } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { createAddressCheck } from './addresses.ts'
import { createHttpUpstream } from './http.ts'

test('R-UP: DNS is asked once, by the check, and its answer is where the connection goes', async () => {
  const vendor = await scriptedUpstream(respond(200, {}, 'ok'))
  const asked: string[] = []
  const check = createAddressCheck({
    clock: systemClock,
    resolve: async (name) => {
      asked.push(name)
      return ['127.0.0.1']
    },
  })
  try {
    const upstream = createHttpUpstream(check, systemClock)
    // A name that DNS does not know: a second lookup would fail.
    const url = `http://rebinding.invalid:${new URL(vendor.url).port}/v1`
    for (const fresh of [false, true]) {
      const answer = await upstream.open({ method: 'POST', url, headers: {}, body: '{}', fresh }, new AbortController().signal)
      expect([answer.status, Buffer.from((await answer.read()) ?? []).toString()]).toEqual([200, 'ok'])
    }
    expect([asked, vendor.connections.accepted]).toEqual([['rebinding.invalid'], 2])
    expect(check.addressesOf?.('http://127.0.0.1/v1')).toBeUndefined()
  } finally {
    await vendor.close()
  }
})
