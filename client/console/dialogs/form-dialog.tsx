import { createUniqueId, type JSX } from 'solid-js'
import type { Write } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'

/** A dialog with one form: fields, the error that no field shows, and the buttons. */
export function FormDialog(props: {
  title: string
  intro?: string
  wide?: boolean
  /** The label of the submit button. */
  go: string
  /** Further buttons, before the others. */
  buttons?: JSX.Element
  write: Write
  onSubmit(): void
  onClose(): void
  children: JSX.Element
}) {
  const id = createUniqueId()
  return (
    <Dialog
      title={props.title}
      intro={props.intro}
      wide={props.wide}
      onClose={props.onClose}
      buttons={
        <>
          {props.buttons}
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form={id} look="primary" busy={props.write.busy()}>
            {props.go}
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          props.onSubmit()
        }}
      >
        {props.children}
        <Refusal of={props.write} />
      </form>
    </Dialog>
  )
}
