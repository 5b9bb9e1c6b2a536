/** Requests in wordings that no channel uses: converted to a dialect of Parley on the way in, and the answers back on the way out. */
import type { Loss } from '#canonical/loss'
import type { Wording, WordingContext, WordingName } from '#canonical/wording'
import { wordingOf } from '#protocols/wordings'
import type { Body, Reply } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import type { Source } from '#runtime/outgoing-body'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'

/** One request and its answer. */
export interface OpenWording {
  /**
   * The body in the dialect; a large one is already converted by the worker. Throws GatewayError, in strict mode also for a loss of
   * meaning.
   */
  read(came: Body, isStrict: boolean): Body
  /** The answer in the client's wording. Throws `upstream_error` for one that cannot be expressed. */
  write(reply: Reply): Reply
}

/** Created when the request has arrived. */
export function openWording(clock: Pick<Clock, 'now' | 'monotonic'>, name: WordingName): OpenWording {
  const wording = wordingOf(name)
  const began = clock.monotonic()
  const context: WordingContext = { now: () => clock.now(), elapsed: () => clock.monotonic() - began }
  return {
    read(came, isStrict) {
      const { body, losses } = came.large ? { body: '', losses: came.large.reworded ?? [] } : wording.readRequest(String(came.content))
      if (isStrict) refuse(losses, came)
      return { ...came, content: body, hasFileMark: undefined, continued: { content: body, losses } }
    },
    write: (reply) => inOwnWords(reply, wording, context),
  }
}

function refuse(losses: readonly Loss[], { large }: Body): void {
  const loss = losses.find(({ meaning }) => meaning)
  if (!loss) return
  large?.release()
  const message = `Parley cannot carry \`${loss.field}\`, and strict mode was asked for: ${loss.reason}`
  throw new GatewayError('unsupported_value', message, { param: loss.field })
}

const decoder = new TextDecoder()

function inOwnWords({ heartbeat: _, ...reply }: Reply, wording: Wording, context: WordingContext): Reply {
  const { body } = reply
  if (typeof body === 'string') return { ...reply, body: wording.writeAnswer(body, context) }
  if (!('next' in body)) return { ...reply, body: wording.writeAnswer(decoder.decode(Buffer.concat(body)), context) }
  const stream = wording.openStream?.(context)
  if (!stream) throw new Error('a stream of an endpoint that has none')
  // Parley wrote these frames itself.
  const splitter = createSseSplitter({ maxFrameBytes: Number.POSITIVE_INFINITY })
  const source: Source = {
    async next() {
      for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next()) {
        const written = splitter.push(bytes).flatMap((frame) => stream.push(frame) ?? [])
        if (written.length > 0) return Buffer.concat(written)
      }
      return undefined
    },
    broke: () => body.broke?.() === true,
    close: () => body.close(),
  }
  return { ...reply, contentType: stream.contentType, body: source }
}
