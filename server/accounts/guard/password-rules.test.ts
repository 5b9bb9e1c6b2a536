import { describe, expect, test } from 'bun:test'
import { demandStrongPassword, isWeak } from './password-rules.ts'

describe('a password that guessing tries first is refused', () => {
  test.each(['password', 'PASSWORD', 'Password1', '12345678', 'qwertyuiop', 'passw0rd', 'trustno1', 'iloveyou', 'sunshine'])(
    '%s',
    async (word) => {
      expect(await isWeak(word, 'ann')).toBe(true)
      await demandStrongPassword(word, 'ann', 'new').then(
        () => expect.unreachable(),
        (thrown) => expect(thrown).toMatchObject({ code: 'weak_password', status: 400, param: 'new' }),
      )
    },
  )
  test.each([
    ['aaaaaaaa', 'ann'],
    ['annalena', 'Annalena'],
    ['annalena1', 'annalena'],
    ['!annalena!', 'annalena'],
    ['bobbobbob', 'bob'],
    ['parley123', 'ann'],
    ['parleyparley', 'ann'],
  ])('%s of %s', async (word, name) => {
    expect(await isWeak(word, name)).toBe(true)
  })
})

test.each([
  ['correct horse', 'root'],
  ['password of admin', 'admin'],
  ['a password that nobody has', 'ann'],
  ['密码密码密码密码一二', 'ann'],
  ['x7#kk2Lq', ''],
])('%s of %s is taken', async (word, name) => {
  expect(await isWeak(word, name)).toBe(false)
})
