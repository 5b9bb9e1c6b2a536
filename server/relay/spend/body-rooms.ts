/** Counts the bytes of the bodies that are being served, and refuses those that exceed a limit. */
import type { BodyRoom, BodyRooms } from '#relay/contract/body-rooms'
import { GatewayError } from '#shared/errors'

const mebibyte = 1024 * 1024
/** Bytes. A single body is always admitted. */
const inMemory = { mostOfCaller: 96 * mebibyte, mostOfAll: 768 * mebibyte }
const onDisk = { mostOfCaller: 512 * mebibyte, mostOfAll: 4096 * mebibyte }

export function createBodyRooms(): BodyRooms {
  const memory = createHouse(inMemory)
  const disk = createHouse(onDisk)
  return { open: (caller, isSpooled = false) => (isSpooled ? disk : memory)(caller) }
}

function createHouse({ mostOfCaller, mostOfAll }: typeof inMemory): (caller: string) => BodyRoom {
  const ofCaller = new Map<string, number>()
  let ofAll = 0
  return (caller) => {
    let own = 0
    let isOver = false

    function count(bytes: number): void {
      const left = (ofCaller.get(caller) ?? 0) + bytes - own
      if (left > 0) ofCaller.set(caller, left)
      else ofCaller.delete(caller)
      ofAll += bytes - own
      own = bytes
    }

    return {
      grow(bytes) {
        if (isOver || bytes <= own) return
        const others = (ofCaller.get(caller) ?? 0) - own
        if (others > 0 && others + bytes > mostOfCaller) throw callerIsFull(mostOfCaller)
        if (ofAll > own && ofAll - own + bytes > mostOfAll) throw allIsFull()
        count(bytes)
      },
      release() {
        isOver = true
        count(0)
      },
    }
  }
}

const callerIsFull = (most: number) =>
  new GatewayError('rate_limit_exceeded', `The concurrent requests of this key may have ${most / mebibyte} MiB in total.`, {
    retryAfter: 1,
  })

const allIsFull = () =>
  new GatewayError('overloaded', 'Too much is being read at once. Nothing was charged. Try again shortly.', { retryAfter: 2 })
