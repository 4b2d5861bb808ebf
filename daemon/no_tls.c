/* Debian's libmicrohttpd initializes gnutls when it is loaded, whether anybody asks for TLS or not:
 * 1 MB of memory for what this daemon never does. These two take the place of those of gnutls: the
 * first is the program's way to say that gnutls must not initialize itself, the second is what
 * libmicrohttpd calls. A libmicrohttpd without TLS calls neither. */
int _gnutls_global_init_skip(void);
int gnutls_global_init(void);

int _gnutls_global_init_skip(void)
{
	return 1;
}

int gnutls_global_init(void)
{
	return 0;
}
