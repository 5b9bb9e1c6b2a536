CREATE TABLE "kept_bodies" (
	"request_id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"user_id" text NOT NULL,
	"key_id" text,
	"instance" text NOT NULL,
	"segment" text NOT NULL,
	"offset" integer NOT NULL,
	"length" integer NOT NULL,
	"sealed_key" text NOT NULL,
	"redacted" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "keep_bodies" jsonb;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "keep_bodies" jsonb;--> statement-breakpoint
ALTER TABLE "kept_bodies" ADD CONSTRAINT "kept_bodies_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "kept_bodies_segment" ON "kept_bodies" USING btree ("instance","segment");--> statement-breakpoint
CREATE INDEX "kept_bodies_user" ON "kept_bodies" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "kept_bodies_key" ON "kept_bodies" USING btree ("key_id","at");