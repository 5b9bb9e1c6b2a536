import { expect, test } from 'bun:test'
import { routeOf } from './channel-route.ts'

const far = 'https://api.example/v1'
const shared = 'http://shared.example:3128'

test('its own proxy, that of all channels, or none', () => {
  expect(routeOf({ proxy: null, tls: {} }, far, undefined)).toBeUndefined()
  expect(routeOf({ proxy: 'direct', tls: {} }, far, shared)).toBeUndefined()
  expect(routeOf({ proxy: null, tls: {} }, far, shared)?.proxy).toMatchObject({ kind: 'http', host: 'shared.example', port: 3128 })
  expect(routeOf({ proxy: 'socks5://own.example', tls: {} }, far, shared)?.proxy).toMatchObject({ kind: 'socks5', host: 'own.example' })
})

test.each(['http://127.0.0.1:11434', 'http://localhost:8000/v1', 'http://[::1]:8000', 'http://a.localhost'])(
  'an upstream on this machine does not use the proxy of all channels, but its own: %s',
  (near) => {
    expect(routeOf({ proxy: null, tls: {} }, near, shared)).toBeUndefined()
    expect(routeOf({ proxy: shared, tls: {} }, near, undefined)?.proxy).toMatchObject({ host: 'shared.example' })
  },
)

test('the same way has the same name, and every other one another', () => {
  const names = [
    routeOf({ proxy: null, tls: {} }, far, shared),
    routeOf({ proxy: shared, tls: { ca: '' } }, far, undefined),
    routeOf({ proxy: 'http://u:p@shared.example:3128', tls: {} }, far, undefined),
    routeOf({ proxy: shared, tls: { ca: 'x' } }, far, undefined),
    routeOf({ proxy: null, tls: { ca: 'x' } }, far, undefined),
  ].map((route) => route?.name)
  expect(names[0]).toBe(names[1] as string)
  expect(new Set(names).size).toBe(4)
})

test('a stored proxy that cannot be read is a proxy that is not there', () => {
  expect(routeOf({ proxy: 'http://sealed:v1.x/y@shared.example', tls: {} }, far, undefined)?.proxy?.host).toBe('unreadable.invalid')
})
