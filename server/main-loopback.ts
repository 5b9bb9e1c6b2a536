/**
 * Parley for tests that serve files on 127.0.0.1: the one address that is visited beside public ones, over plain HTTP. Started
 * by `testing/program/program.ts`, never by `npm start`; there is no switch for it, because callers choose these addresses.
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
