CREATE TABLE "management_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"digest" text NOT NULL,
	"hint" text NOT NULL,
	"scopes" text[] NOT NULL,
	"role" text NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"last_used_from" text,
	CONSTRAINT "management_keys_digest_unique" UNIQUE("digest")
);
--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "owner_id" text;--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "owner_name" text;--> statement-breakpoint
ALTER TABLE "management_keys" ADD CONSTRAINT "management_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "management_keys_user" ON "management_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "audit_owner" ON "audit" USING btree ("owner_id","id") WHERE owner_id is not null;