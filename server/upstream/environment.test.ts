/** What the environment of the process may and may not change about upstream calls, tested in child processes. */
import { expect, test } from 'bun:test'
import { gate, respond } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'

const root = new URL('../..', import.meta.url).pathname

/** Makes `calls` parallel calls in a new process and returns the bodies that it received. */
async function callFromChild(target: string, calls: number, environment: Record<string, string>): Promise<string[]> {
  const program = `
    import { systemClock } from '#runtime/clock'
    import { createAddressCheck } from '#upstream/addresses'
    import { createHttpUpstream } from '#upstream/http'
    const upstream = createHttpUpstream(createAddressCheck({ clock: systemClock }), systemClock)
    const one = async () => {
      try {
        const answer = await upstream.open({ method: 'POST', url: ${JSON.stringify(target)}, headers: {}, body: '{}' }, new AbortController().signal)
        return new TextDecoder().decode(await answer.read())
      } catch (error) {
        return error.code + ' ' + error.cause
      }
    }
    console.log(JSON.stringify(await Promise.all(Array.from({ length: ${calls} }, one))))
  `
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  try {
    return JSON.parse(await new Response(child.stdout).text())
  } finally {
    child.kill()
    await child.exited
  }
}

test('proxy variables are ignored', async () => {
  const proxy = await scriptedUpstream(respond(200, {}, 'through the proxy'))
  const vendor = await scriptedUpstream(respond(200, {}, 'direct'))
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  try {
    expect(await callFromChild(vendor.url, 1, Object.fromEntries(names.map((name) => [name, proxy.url])))).toEqual(['direct'])
    expect(proxy.connections.accepted).toBe(0)
  } finally {
    await proxy.close()
    await vendor.close()
  }
}, 30_000)

test('with BUN_CONFIG_MAX_HTTP_REQUESTS more than 256 calls are open at a time', async () => {
  const held = gate(respond(200, {}, 'ok'))
  const vendor = await scriptedUpstream(held.script)
  try {
    const answers = callFromChild(vendor.url, 300, { BUN_CONFIG_MAX_HTTP_REQUESTS: '2000' })
    // No call is answered before all 300 have arrived: with the default of 256 this would wait for ever.
    await vendor.received(299)
    held.open()
    expect(await answers).toEqual(new Array(300).fill('ok'))
    expect(vendor.connections.accepted).toBe(300)
  } finally {
    held.open()
    await vendor.close()
  }
}, 30_000)
