/**
 * Parley for tests that serve media files on 127.0.0.1, which it may fetch over plain HTTP besides public addresses. Started by
 * `testing/program/program.ts`, never by `npm start`. Not a setting, because clients choose these URLs.
 */

import { turnKey } from '#app/start'
import { type MediaPolicy, publicOnly } from '#upstream/media-policy'

const loopback: MediaPolicy = {
  ...publicOnly,
  schemes: ['https:', 'http:'],
  allowsPort: () => true,
  refusesIpv4: (address) => address.join('.') !== '127.0.0.1' && publicOnly.refusesIpv4(address),
}

await turnKey(loopback)
