/** Texts about second factors, proofs and invitations, in Chinese. */
const fresh = '需要重新证明身份（`reauthentication_required`）。'

/** Texts about sign-in. */
export const people = {
  'Returns 202 with the available second factors if one is required; continue at `POST /api/session/step`.':
    '需要第二因素时以 202 回答，列出可在 `POST /api/session/step` 继续登录的第二因素。',
  'Send the browser to `address`. The provider sends it back to `GET /api/session/oidc/callback`, which starts the session and leads to `to`; a failure stands in its query as `sign-in`: `refused`, `expired`, `disabled`, `unavailable`, `taken`, `second-factor` or `invitation`. With `link` the identity is added to the signed-in user; with `proof` they prove there again who they are; with `invitation` whoever comes back uses it.':
    '把浏览器引到 `address`。提供方将其送回 `GET /api/session/oidc/callback`，在那里开始会话并转到 `to`；失败时查询参数中有 `sign-in`：`refused`、`expired`、`disabled`、`unavailable`、`taken`、`second-factor` 或 `invitation`。带 `link` 时，该身份关联到已登录的用户；带 `proof` 时，用户在那里重新证明身份；带 `invitation` 时，返回者使用该邀请。',
  'The session opens nothing until the user has added the second factor that is asked for.':
    '在用户添加所要求的第二因素之前，会话不能使用。',
  'How many have ended.': '已结束的个数。',
  'What this installation calls itself, such as `staging`.': '此安装的名称，例如 `staging`。',
  'The address at which passkeys work.': '通行密钥可用的地址。',
  'Give the second factor': '提供第二因素',
  'Completes a sign-in that was answered with 202, with exactly one of the fields. After five wrong answers it must start over.':
    '完成以 202 回答的登录，须恰好提供一个字段。答错五次后须重新开始。',
  'Sign in by a passkey alone': '仅凭通行密钥登录',
  'What a browser needs to use or create a passkey': '浏览器使用或创建通行密钥所需的内容',
  'The browser’s answer is valid for five minutes, once, and for this use only.': '浏览器的回答五分钟内有效，只能用一次，且仅限此用途。',
  'What `navigator.credentials` takes, in the JSON form of WebAuthn.': '`navigator.credentials` 所需的内容，采用 WebAuthn 的 JSON 形式。',
  'How the caller can confirm their identity again': '调用者可以怎样重新证明身份',
  'By the identity provider: `POST /api/session/oidc` with `proof`.': '经身份提供方：带 `proof` 的 `POST /api/session/oidc`。',
  'Prove again who one is': '重新证明身份',
  'With exactly one of the fields. For 15 minutes operations on secrets and money do not require it again.':
    '须恰好提供一个字段。此后一刻钟内，涉及机密和资金的操作不再询问。',
  'Second factors of the caller': '调用者的第二因素',
  'Whether the installation requires a second factor of this user.': '此安装是否要求该用户使用第二因素。',
  'Whether passkeys work at the address of this installation.': '通行密钥在此安装的地址上是否可用。',
  'Add an authenticator app': '添加验证器应用',
  'It counts once a code of it was right: `POST /api/session/factors/apps/{id}`. Requires a recent proof of identity (`reauthentication_required`).': `验证过一个代码后生效：\`POST /api/session/factors/apps/{id}\`。${fresh}`,
  'Base32, for typing by hand.': 'Base32，供手动输入。',
  '`otpauth://totp/...`, for a QR code.': '`otpauth://totp/...`，用于二维码。',
  'Confirm an authenticator app': '确认验证器应用',
  'All other sessions end. The first factor also returns recovery codes.': '所有其他会话结束。添加第一个因素时给出恢复代码。',
  'Only here, and each good once. Empty where the user has some already.': '只在此处出现，每个只能用一次。用户已有恢复代码时为空。',
  'Add a passkey': '添加通行密钥',
  'All other sessions end. The first factor also returns recovery codes. Requires a recent proof of identity (`reauthentication_required`).': `所有其他会话结束。添加第一个因素时给出恢复代码。${fresh}`,
  'Remove a second factor': '移除第二因素',
  'All other sessions end. Requires a recent proof of identity (`reauthentication_required`).': `所有其他会话结束。${fresh}`,
  'New recovery codes': '新的恢复代码',
  'In the place of all others. Requires a recent proof of identity (`reauthentication_required`).': `取代所有旧的恢复代码。${fresh}`,
  'Reset the second factor of a user': '重置用户的第二因素',
  'For somebody who has lost it: all factors, recovery codes and sessions of theirs go. Requires a recent proof of identity (`reauthentication_required`).': `供丢失第二因素的用户：其所有因素、恢复代码和会话都被移除。${fresh}`,
  Invitations: '邀请',
  'Id of a team.': '团队的 id。',
  'All for administrators; for others those to the teams that they manage.': '管理员可见全部；其他人只见自己管理的团队的邀请。',
  'How many people may use it.': '可使用的人数。',
  'Who made it: it ends with their right to invite.': '创建者：其邀请权结束时，邀请随之失效。',
  'Whether it is valid now.': '现在是否有效。',
  'Invite by a link': '通过链接邀请',
  'Administrators may invite anyone to anything, managers of a team to that team. The link is in `link`, once; it opens as long as whoever made it could make it again.':
    '管理员可作任何邀请，团队的管理者只能邀请加入该团队。链接在 `link` 中，只出现一次；只要创建者仍有权创建，链接就有效。',
  'The link, only here.': '链接，只在此处出现。',
  'Take an invitation back': '撤回邀请',
  'Join a team by an invitation': '通过邀请加入团队',
  'What an invitation is for': '邀请的内容',
  'Create an account by an invitation': '通过邀请创建账户',
  'The installation requires a second factor. Add one in your account, then continue.':
    '此安装要求你使用第二因素。请先在账户中添加，然后继续。',
  'Operations on secrets and money need a proof of identity from the last 15 minutes: `POST /api/session/proof`, then repeat the call. Management keys are exempt.':
    '涉及机密和资金的操作在上次证明身份超过一刻钟后会再次询问：先调用 `POST /api/session/proof`，再重试。管理密钥不受影响。',
}
