/**
 * Parley for tests that serve media files on 127.0.0.1, which it may fetch over plain HTTP besides public addresses. Started by
 * `testing/program/program.ts`, never by `npm start`. Not a setting, because clients choose these URLs.
 */

import { ensureStartSettings } from '#runtime/start-settings'
import type { MediaPolicy } from '#upstream/media-policy'

ensureStartSettings()
const [{ turnKey }, { publicOnly }] = await Promise.all([import('#app/start'), import('#upstream/media-policy')])

const loopback: MediaPolicy = {
  ...publicOnly,
  schemes: ['https:', 'http:'],
  allowsPort: () => true,
  refusesIpv4: (address) => address.join('.') !== '127.0.0.1' && publicOnly.refusesIpv4(address),
}

await turnKey(loopback)
